; passes-free
; costs are scores: cost + risk
(define (domain passes-free)
  (:requirements :strips :action-costs)
  (:predicates
    (topic)
    (searched)
  )
  (:functions (total-cost) - number)

  ; search_web (cost 1, risk read)
  (:action search_web
    :parameters ()
    :precondition (and (topic))
    :effect (and (searched) (increase (total-cost) 1))
  )
)

; searched
(define (problem passes-free-problem)
  (:domain passes-free)
  (:init
    (= (total-cost) 0)
    (topic)
  )
  (:goal (and (searched)))
  (:metric minimize (total-cost))
)
