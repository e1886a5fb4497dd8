package hostgc

import "fmt"

// Index answers, for one hearing, what is alive and which spaces were heard.
type Index struct {
	alive   map[Ref]Claim
	waiting map[Ref][]Claim // claims that hold if the key is alive
	mute    map[Space]Testimony
	known   map[Space]bool
	absence []Reason // what each witness said, shared by all garbage of the hearing
}

// NewIndex builds the index of a hearing.
func NewIndex(testimonies []Testimony) *Index {
	ix := &Index{
		alive: map[Ref]Claim{}, waiting: map[Ref][]Claim{},
		mute: map[Space]Testimony{}, known: map[Space]bool{},
	}
	for _, t := range testimonies {
		for _, s := range t.Speaks {
			if t.Mute() {
				ix.mute[s] = t
			}
		}
	}
	for _, t := range testimonies {
		ix.hear(t)
	}
	return ix
}

func (ix *Index) hear(t Testimony) {
	if !t.Mute() {
		for _, s := range t.Knows {
			ix.known[s] = true
		}
		ix.absence = append(ix.absence, Reason{
			Rule: RuleAbsent, Witness: t.Witness, At: t.At,
			Text: fmt.Sprintf("not in what %s says: %s", t.Witness, t.Says),
		})
	}
	// A mute witness may still have said something before it failed. What it
	// said can only keep.
	for _, c := range t.Claims {
		ix.Add(c)
	}
}

// Add takes one more claim. It can only make more alive. A condition that
// nobody can be asked about is taken as met.
func (ix *Index) Add(c Claim) {
	if c.If != (Ref{}) {
		_, alive := ix.alive[c.If]
		if _, mute := ix.mute[c.If.Space]; !alive && !mute {
			ix.waiting[c.If] = append(ix.waiting[c.If], c)
			return
		}
	}
	if _, ok := ix.alive[c.Ref]; ok {
		return
	}
	ix.alive[c.Ref] = c
	woken := ix.waiting[c.Ref]
	delete(ix.waiting, c.Ref)
	for _, w := range woken {
		ix.Add(w)
	}
}

// Alive gives the claim by which a reference is alive.
func (ix *Index) Alive(r Ref) (Claim, bool) {
	c, ok := ix.alive[r]
	return c, ok
}

// Mute gives the testimony of a mute witness that speaks for a space.
func (ix *Index) Mute(s Space) (Testimony, bool) {
	t, ok := ix.mute[s]
	return t, ok
}

// Knows reports whether a witness with a complete list of the space answered.
func (ix *Index) Knows(s Space) bool { return ix.known[s] }
