; requires-or
; costs are scores: cost + risk
(define (domain requires-or)
  (:requirements :strips :disjunctive-preconditions :action-costs)
  (:predicates
    (email_address)
    (phone_number)
    (order_id)
    (informed)
  )
  (:functions (total-cost) - number)

  ; read_phone_number (cost 1, risk read)
  (:action read_phone_number
    :parameters ()
    :precondition (and (order_id))
    :effect (and (phone_number) (increase (total-cost) 1))
  )

  ; inform (cost 1, risk send)
  (:action inform
    :parameters ()
    :precondition (and (order_id) (or (email_address) (phone_number)))
    :effect (and (informed) (increase (total-cost) 4))
  )
)

; informed
(define (problem requires-or-problem)
  (:domain requires-or)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (informed)))
  (:metric minimize (total-cost))
)
