; fact-lasting
; costs are scores: cost + risk
(define (domain fact-lasting)
  (:requirements :strips :action-costs)
  (:predicates
    (account_id)  ; who the user is does not change with the request
  )
  (:functions (total-cost) - number)

  ; read_account (cost 1, risk read)
  (:action read_account
    :parameters ()
    :precondition (and)
    :effect (and (account_id) (increase (total-cost) 1))
  )
)

; account_id
(define (problem fact-lasting-problem)
  (:domain fact-lasting)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (account_id)))
  (:metric minimize (total-cost))
)
