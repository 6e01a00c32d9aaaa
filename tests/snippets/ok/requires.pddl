; requires
; costs are scores: cost + risk
(define (domain requires)
  (:requirements :strips :action-costs)
  (:predicates
    (event_id)
    (new_time)
    (confirmed_by_owner)
    (event_updated)
  )
  (:functions (total-cost) - number)

  ; update_event (cost 1, risk write)
  (:action update_event
    :parameters ()
    :precondition (and (event_id) (new_time) (confirmed_by_owner))
    :effect (and (event_updated) (increase (total-cost) 2))
  )
)

; event_updated
(define (problem requires-problem)
  (:domain requires)
  (:init
    (= (total-cost) 0)
    (confirmed_by_owner)
    (event_id)
    (new_time)
  )
  (:goal (and (event_updated)))
  (:metric minimize (total-cost))
)
