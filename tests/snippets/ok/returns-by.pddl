; returns-by
; costs are scores: cost + risk
(define (domain returns-by)
  (:requirements :strips :action-costs)
  (:predicates
    (page)
    (total)
  )
  (:functions (total-cost) - number)

  ; read_invoice (cost 1, risk read)
  (:action read_invoice
    :parameters ()
    :precondition (and (page))
    :effect (and (total) (increase (total-cost) 1))
  )
)

; total
(define (problem returns-by-problem)
  (:domain returns-by)
  (:init
    (= (total-cost) 0)
    (page)
  )
  (:goal (and (total)))
  (:metric minimize (total-cost))
)
