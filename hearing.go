package hostgc

// Hearing is everything that the judge is told about the node at one moment:
// what each witness said, how far the positive control of each directory
// reaches, and the times.
type Hearing struct {
	Testimonies []Testimony        `json:"witnesses"`
	Controls    map[string]Control `json:"controls"` // by directory
	Terms       Terms              `json:"terms"`
}

// Bench is a hearing made ready to hold objects against.
type Bench struct {
	Index    *Index
	Controls map[string]Control
	Terms    Terms

	learnt []Claim
	spared map[Ref]Decision // by owner: see Spare
	judged Object           // at the moment: see Judge
}

// Bench indexes what was heard. Earlier is the bench of the hearing before in
// the same pass, if there was one: what was learnt from the objects judged by
// it still holds, where its condition does.
func (h Hearing) Bench(earlier *Bench) *Bench {
	b := &Bench{Index: NewIndex(h.Testimonies), Controls: h.Controls, Terms: h.Terms, spared: map[Ref]Decision{}}
	if earlier != nil {
		b.learnt = earlier.learnt
	}
	for _, c := range b.learnt {
		b.Index.Add(c)
	}
	return b
}

// Learn takes from an object that was read what it says of its owner: if
// anything that it refers to is alive, so is its owner, and with it the
// owner's other objects. A delegates file names no network namespace, but the
// results of the same sandbox do; so results are shown first.
//
// What a pod's UID keeps, it keeps only from the current boot, so that is
// learnt apart: as the pod that the sandbox belongs to. A mount keeps only the
// object that it is on.
func (b *Bench) Learn(o Object) {
	if len(o.Refs) < 2 {
		return
	}
	for _, ref := range o.Refs[1:] {
		c, ok := b.Index.Alive(ref)
		if !ok || ref.Space == SpaceMount {
			continue
		}
		owner := o.Refs[0]
		if ref.Space == SpacePod {
			owner = podOf(owner)
		}
		if _, known := b.Index.Alive(owner); known {
			continue
		}
		learnt := Claim{Ref: owner, If: ref, Witness: c.Witness, Detail: c.Detail + ", which " + o.Name + " names"}
		b.learnt = append(b.learnt, learnt)
		b.Index.Add(learnt)
	}
}

// podOf names the pod of an owner whose UID the object itself may not tell.
func podOf(owner Ref) Ref { return Ref{SpacePod, owner.Key} }
