; fact-trust-user
; costs are scores: cost + risk
(define (domain fact-trust-user)
  (:requirements :strips :action-costs)
  (:predicates
    (alarm_off)  ; the user stands before it and sees it
  )
  (:functions (total-cost) - number)

  ; switch_alarm_off (cost 1, risk write): Turn the key of the alarm to the left.
  (:action switch_alarm_off
    :parameters ()
    :precondition (and)
    :effect (and (alarm_off) (increase (total-cost) 2))
  )
)

; alarm_off
(define (problem fact-trust-user-problem)
  (:domain fact-trust-user)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (alarm_off)))
  (:metric minimize (total-cost))
)
