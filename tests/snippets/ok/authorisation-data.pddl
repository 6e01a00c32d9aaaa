; authorisation-data
; costs are scores: cost + risk
(define (domain authorisation-data)
  (:requirements :strips :action-costs)
  (:predicates
    (customer_id)
    (card_number)
  )
  (:functions (total-cost) - number)

  ; read_card (cost 1, risk read): Read the card of a customer.
  (:action read_card
    :parameters ()
    :precondition (and (customer_id))
    :effect (and (card_number) (increase (total-cost) 1))
  )
)

; card_number
(define (problem authorisation-data-problem)
  (:domain authorisation-data)
  (:init
    (= (total-cost) 0)
    (customer_id)
  )
  (:goal (and (card_number)))
  (:metric minimize (total-cost))
)
