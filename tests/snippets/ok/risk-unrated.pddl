; risk-unrated
; costs are scores: cost + risk
(define (domain risk-unrated)
  (:requirements :strips :action-costs)
  (:predicates
    (invited)
  )
  (:functions (total-cost) - number)

  ; invite (cost 1, risk unrated)
  (:action invite
    :parameters ()
    :precondition (and)
    :effect (and (invited) (increase (total-cost) 6))
  )
)

; invited
(define (problem risk-unrated-problem)
  (:domain risk-unrated)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (invited)))
  (:metric minimize (total-cost))
)
