; key
; costs are scores: cost + risk
(define (domain key)
  (:requirements :strips :action-costs)
  (:predicates
    (amount)
    (account)
    (paid)
  )
  (:functions (total-cost) - number)

  ; pay (cost 1, risk send)
  (:action pay
    :parameters ()
    :precondition (and (amount) (account))
    :effect (and (paid) (increase (total-cost) 4))
  )

  ; pay_later (cost 2, risk send)
  (:action pay_later
    :parameters ()
    :precondition (and (amount) (account))
    :effect (and (paid) (increase (total-cost) 5))
  )
)

; paid
(define (problem key-problem)
  (:domain key)
  (:init
    (= (total-cost) 0)
    (account)
    (amount)
  )
  (:goal (and (paid)))
  (:metric minimize (total-cost))
)
