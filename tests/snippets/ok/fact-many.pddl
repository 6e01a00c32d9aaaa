; fact-many
; costs are scores: cost + risk
(define (domain fact-many)
  (:requirements :strips :action-costs)
  (:predicates
    (date)
    (free_times)  ; times of the day at which nothing is planned
  )
  (:functions (total-cost) - number)

  ; check_availability (cost 1, risk read)
  (:action check_availability
    :parameters ()
    :precondition (and (date))
    :effect (and (free_times) (increase (total-cost) 1))
  )
)

; free_times
(define (problem fact-many-problem)
  (:domain fact-many)
  (:init
    (= (total-cost) 0)
    (date)
  )
  (:goal (and (free_times)))
  (:metric minimize (total-cost))
)
