package hostgc

// Spare judges by the name alone, where that settles the case: it is foreign, or
// its owner is alive. It says what Judge would of an object that is not read, at a fraction
// of the cost: one owner has many files, and a node on which nothing leaked
// has no other.
//
// The exception is an owner that is not ready: its files are read, for an
// empty one can be what keeps it from going.
func (b *Bench) Spare(k *Kind, dir, name string) (Decision, bool) {
	owner, ours := k.Owner(name)
	if !ours {
		return b.Judge(k, Object{Kind: k.Name, Dir: dir, Name: name}), true
	}
	d, known := b.spared[owner]
	if !known {
		c, alive := b.Index.Alive(owner)
		if !alive || c.State == StateNotReady {
			return Decision{}, false
		}
		d = b.Judge(k, Object{Kind: k.Name, Dir: dir, Name: name, Refs: []Ref{owner}, Owner: Owner{Sandbox: owner.Key}})
		if d.Rule() != RuleClaimed {
			return Decision{}, false
		}
		b.spared[owner] = d
	}
	d.Object.Kind, d.Object.Dir, d.Object.Name = k.Name, dir, name
	return d, true
}
