; ask-implied
; costs are scores: cost + risk
(define (domain ask-implied)
  (:requirements :strips :action-costs)
  (:predicates
    (new_time)  ; when it should be instead
    (event_id)
    (event_updated)
  )
  (:functions (total-cost) - number)

  ; update_event (cost 1, risk write)
  (:action update_event
    :parameters ()
    :precondition (and (event_id) (new_time))
    :effect (and (event_updated) (increase (total-cost) 2))
  )

  ; ask_new_time (cost 5, a question): What is the new time (when it should be instead)?
  (:action ask_new_time
    :parameters ()
    :precondition (and)
    :effect (and (new_time) (increase (total-cost) 5))
  )
)

; move_event
(define (problem ask-implied-problem)
  (:domain ask-implied)
  (:init
    (= (total-cost) 0)
    (event_id)
  )
  (:goal (and (event_updated) (new_time)))
  (:metric minimize (total-cost))
)
