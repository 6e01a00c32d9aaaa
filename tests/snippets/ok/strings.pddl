; strings
; costs are scores: cost + risk
(define (domain strings)
  (:requirements :strips :action-costs)
  (:predicates
    (ready)  ; a "quoted" word, a backslash \, a tab , and a letter by its number: ?
  )
  (:functions (total-cost) - number)

  ; prepare (cost 1, risk read): A long string goes over several lines, and may hold "quotes".
  (:action prepare
    :parameters ()
    :precondition (and)
    :effect (and (ready) (increase (total-cost) 1))
  )
)

; ready
(define (problem strings-problem)
  (:domain strings)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (ready)))
  (:metric minimize (total-cost))
)
