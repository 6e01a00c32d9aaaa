; fails-when
; costs are scores: cost + risk
(define (domain fails-when)
  (:requirements :strips :action-costs)
  (:predicates
    (order_id)
    (order_details)
  )
  (:functions (total-cost) - number)

  ; read_order (cost 1, risk read)
  (:action read_order
    :parameters ()
    :precondition (and (order_id))
    :effect (and (order_details) (increase (total-cost) 1))
  )
)

; order_details
(define (problem fails-when-problem)
  (:domain fails-when)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (order_details)))
  (:metric minimize (total-cost))
)
