package factor

import "errors"

func (f *qr[T]) reduceWithPivots(pivots []int64) error { return errors.New("pivots") }
