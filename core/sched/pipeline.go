package sched

// Pipeline calls load and then visit for every 0 <= n < count, in this order. If overlap is set, load(n+1) runs while
// visit(n) does: on a separate goroutine with a team of one thread, so that it takes no workers from visit. The first
// error ends the pipeline and is returned, after any load in progress has ended. A panic in load comes back as a
// *PanicError.
func (t *Team) Pipeline(count int, overlap bool, load func(team *Team, n int) error, visit func(n int) error) error {
	if count == 0 {
		return nil
	}
	if err := load(t, 0); err != nil {
		return err
	}
	for n := range count {
		more := n+1 < count
		var loaded chan error
		if more && overlap {
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
