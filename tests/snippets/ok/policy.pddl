; policy
; costs are scores (cost + risk) in units of 1/2
(define (domain policy)
  (:requirements :strips :action-costs)
  (:predicates
    (asked)
    (ready)
    (called)
  )
  (:functions (total-cost) - number)

  ; look (cost 1, risk look)
  (:action look
    :parameters ()
    :precondition (and)
    :effect (and (ready) (increase (total-cost) 2))
  )

  ; publish (cost 1, risk publish)
  (:action publish
    :parameters ()
    :precondition (and (ready) (asked))
    :effect (and (called) (increase (total-cost) 18))
  )

  ; call_human (cost 100, risk look)
  (:action call_human
    :parameters ()
    :precondition (and)
    :effect (and (called) (increase (total-cost) 200))
  )

  ; what (cost 0.5, a question): What is it about?
  (:action what
    :parameters ()
    :precondition (and)
    :effect (and (asked) (increase (total-cost) 1))
  )
)

; called
(define (problem policy-problem)
  (:domain policy)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (called)))
  (:metric minimize (total-cost))
)
