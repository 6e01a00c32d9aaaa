; keywords-as-names
; costs are scores: cost + risk
(define (domain keywords-as-names)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types
    any - object
    tool - any
    goal_ - tool
  )
  (:predicates
    (cost ?tool - tool)
    (produces)
    (requires)
    (from)
    (question)
    (closed)
    (user)
    (others)
  )
  (:functions (total-cost) - number)

  ; tool (cost 1, risk read)
  (:action tool_2
    :parameters (?tool - tool)
    :precondition (and (produces) (requires) (from) (not (closed)))
    :effect (and (cost ?tool) (increase (total-cost) 1))
  )

  ; test (cost 1, risk read)
  (:action test
    :parameters (?risk - goal_)
    :precondition (and (cost ?risk))
    :effect (and (question) (increase (total-cost) 1))
  )

  ; ask (cost 5, a question): From when?
  (:action ask
    :parameters ()
    :precondition (and)
    :effect (and (from) (increase (total-cost) 5))
  )
)

; cost(fact)
(define (problem keywords-as-names-problem)
  (:domain keywords-as-names)
  (:objects
    domain_ - tool
    fact - tool
  )
  (:init
    (= (total-cost) 0)
    (cost domain_)
    (from)
    (produces)
    (requires)
  )
  (:goal (and (cost fact)))
  (:metric minimize (total-cost))
)
