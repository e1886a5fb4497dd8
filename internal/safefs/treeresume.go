package safefs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Resume finishes what a run that was ended left behind: trees that were set
// aside, and trees half removed. It should come before anything is judged. If
// recheck objects, or anything else does, a tree that was only set aside gets
// its own name back, to be judged like any other, and one half removed stays
// as it is. The errors of all trees are joined.
//
// Without leftovers it does nothing, and needs no lock.
func (r *TreeRemover) Resume(ctx context.Context, recheck Recheck) ([]RemovedTree, error) {
	left, err := r.leftovers(ctx)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	unlock, err := r.lock()
	if err != nil {
		return nil, fmt.Errorf("finish removing %s: %w", r.dir.join(left[0]), err)
	}
	defer unlock()
	var trees []RemovedTree
	var errs []error
	for _, entry := range left {
		gone, err := r.resume(ctx, entry, recheck)
		if gone.Entries > 0 {
			trees = append(trees, gone)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("finish removing %s: %w", r.dir.join(entry), err))
		}
	}
	return trees, errors.Join(errs...)
}

// leftovers gives those half removed first: they are in the way of another
// tree with the same name.
func (r *TreeRemover) leftovers(ctx context.Context) ([]string, error) {
	var begun, whole []string
	for e, err := range r.dir.Entries(ctx) {
		if err != nil {
			return nil, err
		}
		switch name, half, ok := TreeName(e.Name); {
		case !ok || !r.removable(name):
		case half:
			begun = append(begun, e.Name)
		default:
			whole = append(whole, e.Name)
		}
	}
	slices.SortFunc(begun, strings.Compare)
	slices.SortFunc(whole, strings.Compare)
	return append(begun, whole...), nil
}

func (r *TreeRemover) resume(ctx context.Context, entry string, recheck Recheck) (RemovedTree, error) {
	name, begun, _ := TreeName(entry)
	found, err := r.survey(ctx, entry)
	if err == nil {
		err = r.confirm(ctx, entry, found, recheck)
	}
	switch {
	case err != nil && begun:
		return RemovedTree{Name: name}, fmt.Errorf("%w; part of it is removed already, so it stays there", err)
	case err != nil:
		return RemovedTree{Name: name}, r.restore(entry, name, err)
	case begun:
		return r.delete(ctx, name, found)
	default:
		return r.takeAway(ctx, name, found)
	}
}
