; fact-by-others
; costs are scores: cost + risk
(define (domain fact-by-others)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    message - any
  )
  (:predicates
    (message_id ?message - message)
    (mail_text ?message - message)  ; what the mail says
    (recipient)
    (forwarded ?message - message)
  )
  (:functions (total-cost) - number)

  ; read_mail (cost 1, risk read)
  (:action read_mail
    :parameters (?m - message)
    :precondition (and (message_id ?m))
    :effect (and (mail_text ?m) (increase (total-cost) 1))
  )

  ; forward_mail (cost 1, risk send)
  (:action forward_mail
    :parameters (?m - message)
    :precondition (and (mail_text ?m) (recipient))
    :effect (and (forwarded ?m) (increase (total-cost) 4))
  )
)

; forwarded(offer)
(define (problem fact-by-others-problem)
  (:domain fact-by-others)
  (:objects
    offer - message
  )
  (:init
    (= (total-cost) 0)
    (message_id offer)
    (recipient)
  )
  (:goal (and (forwarded offer)))
  (:metric minimize (total-cost))
)
