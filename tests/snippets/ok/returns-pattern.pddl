; returns-pattern
; costs are scores: cost + risk
(define (domain returns-pattern)
  (:requirements :strips :action-costs)
  (:predicates
    (order_id)
    (state)
  )
  (:functions (total-cost) - number)

  ; read_order (cost 1, risk read)
  (:action read_order
    :parameters ()
    :precondition (and (order_id))
    :effect (and (state) (increase (total-cost) 1))
  )
)

; state
(define (problem returns-pattern-problem)
  (:domain returns-pattern)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (state)))
  (:metric minimize (total-cost))
)
