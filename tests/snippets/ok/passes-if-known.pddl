; passes-if-known
; costs are scores: cost + risk
(define (domain passes-if-known)
  (:requirements :strips :action-costs)
  (:predicates
    (city)
    (rooms)
    (hotels)
  )
  (:functions (total-cost) - number)

  ; search_hotels (cost 1, risk read)
  (:action search_hotels
    :parameters ()
    :precondition (and (city))
    :effect (and (hotels) (increase (total-cost) 1))
  )
)

; hotels
(define (problem passes-if-known-problem)
  (:domain passes-if-known)
  (:init
    (= (total-cost) 0)
    (city)
  )
  (:goal (and (hotels)))
  (:metric minimize (total-cost))
)
