; passes-from
; costs are scores (cost + risk) in units of 1/2
(define (domain passes-from)
  (:requirements :strips :action-costs)
  (:predicates
    (email_text)
    (sender)
    (answered)
  )
  (:functions (total-cost) - number)

  ; draft_reply (cost 1, risk draft)
  (:action draft_reply
    :parameters ()
    :precondition (and (email_text) (sender))
    :effect (and (answered) (increase (total-cost) 3))
  )
)

; answered
(define (problem passes-from-problem)
  (:domain passes-from)
  (:init
    (= (total-cost) 0)
    (email_text)
    (sender)
  )
  (:goal (and (answered)))
  (:metric minimize (total-cost))
)
