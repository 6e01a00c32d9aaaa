; unreachable
; costs are scores: cost + risk
(define (domain unreachable)
  (:requirements :strips :action-costs)
  (:predicates
    (key)
    (door_open)
  )
  (:functions (total-cost) - number)

  ; open_door (cost 1, risk write)
  (:action open_door
    :parameters ()
    :precondition (and (key))
    :effect (and (door_open) (increase (total-cost) 2))
  )
)

; door_open
(define (problem unreachable-problem)
  (:domain unreachable)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (door_open)))
  (:metric minimize (total-cost))
)
