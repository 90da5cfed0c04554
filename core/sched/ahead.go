package sched

// Ahead calls load and then visit for every 0 <= n < count, in this order. If ahead is set, n+1 is loaded while n is visited: load then runs on a
// goroutine of its own with a team of one thread, so that it does not take the workers from visit. The first error ends it and is returned; nothing is
// being loaded any more then. A panic in load comes back as a *PanicError.
func (t *Team) Ahead(count int, ahead bool, load func(team *Team, n int) error, visit func(n int) error) error {
	if count == 0 {
		return nil
	}
	if err := load(t, 0); err != nil {
		return err
	}
	for n := range count {
		more := n+1 < count
		var loaded chan error
		if more && ahead {
			loaded = make(chan error, 1)
			go func() {
				serial := t.Serial()
				loaded <- serial.For(1, func(int, int) error { return load(serial, n+1) })
			}()
		}
		err := visit(n)
		if loaded != nil {
			if failed := <-loaded; err == nil {
				err = failed
			}
		} else if err == nil && more {
			err = load(t, n+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
