; allow
; costs are scores: cost + risk
(define (domain allow)
  (:requirements :strips :action-costs)
  (:predicates
    (topic)
    (ready)
  )
  (:functions (total-cost) - number)

  ; prepare (cost 1, risk unrated)
  (:action prepare
    :parameters ()
    :precondition (and)
    :effect (and (ready) (increase (total-cost) 6))
  )

  ; which_topic (cost 5, a question): What is it about?
  (:action which_topic
    :parameters ()
    :precondition (and)
    :effect (and (topic) (increase (total-cost) 5))
  )
)

; get_ready
(define (problem allow-problem)
  (:domain allow)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (ready)))
  (:metric minimize (total-cost))
)
