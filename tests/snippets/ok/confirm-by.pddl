; confirm-by
; costs are scores: cost + risk
(define (domain confirm-by)
  (:requirements :strips :action-costs)
  (:predicates
    (paid)
    (refunded)
  )
  (:functions (total-cost) - number)

  ; refund (cost 1, risk write)
  (:action refund
    :parameters ()
    :precondition (and (paid))
    :effect (and (refunded) (increase (total-cost) 2))
  )
)

; refunded
(define (problem confirm-by-problem)
  (:domain confirm-by)
  (:init
    (= (total-cost) 0)
    (paid)
  )
  (:goal (and (refunded)))
  (:metric minimize (total-cost))
)
