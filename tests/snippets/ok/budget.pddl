; budget
; costs are scores: cost + risk
(define (domain budget)
  (:requirements :strips :action-costs)
  (:predicates
    (answered)
    (stopped)
  )
  (:functions (total-cost) - number)

  ; look_it_up (cost 3, risk read)
  (:action look_it_up
    :parameters ()
    :precondition (and)
    :effect (and (answered) (increase (total-cost) 3))
  )

  ; cancel_run (cost 1, risk read): Stop working on this request.
  (:action cancel_run
    :parameters ()
    :precondition (and)
    :effect (and (stopped) (increase (total-cost) 1))
  )
)

; answered
(define (problem budget-problem)
  (:domain budget)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (answered)))
  (:metric minimize (total-cost))
)
