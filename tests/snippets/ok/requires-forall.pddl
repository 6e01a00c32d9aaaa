; requires-forall
; costs are scores: cost + risk
(define (domain requires-forall)
  (:requirements :strips :typing :universal-preconditions :action-costs)
  (:types
    any - object
    check - any
    system - any
  )
  (:constants
    tests - check
    licences - check
    linux - system
  )
  (:predicates
    (passed ?check - check ?system - system)
    (merged)
  )
  (:functions (total-cost) - number)

  ; run_check (cost 1, risk read)
  (:action run_check
    :parameters (?c - check ?s - system)
    :precondition (and)
    :effect (and (passed ?c ?s) (increase (total-cost) 1))
  )

  ; merge (cost 1, risk write)
  (:action merge
    :parameters ()
    :precondition (and (forall (?c - check ?s - system) (passed ?c ?s)))
    :effect (and (merged) (increase (total-cost) 2))
  )
)

; merged
(define (problem requires-forall-problem)
  (:domain requires-forall)
  (:init
    (= (total-cost) 0)
    (passed tests linux)
  )
  (:goal (and (merged)))
  (:metric minimize (total-cost))
)
