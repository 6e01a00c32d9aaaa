(define (domain lights)
  (:predicates (on ?lamp))
  (:durative-action switch_on
    :parameters (?lamp)
    :duration (= ?duration 2)
    :condition (over all (not (on ?lamp)))
    :effect (at end (on ?lamp))))
