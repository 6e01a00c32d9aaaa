; effect-forall
; costs are scores: cost + risk
(define (domain effect-forall)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality :conditional-effects :action-costs)
  (:types
    any - object
    file - any
    folder - any
  )
  (:predicates
    (in ?file - file ?folder - folder)
  )
  (:functions (total-cost) - number)

  ; move (cost 1, risk write)
  (:action move
    :parameters (?f - file ?to - folder)
    :precondition (and)
    :effect (and (forall (?x - folder) (not (in ?f ?x))) (in ?f ?to) (increase (total-cost) 2))
  )
)

; in(report, archive), not in(report, inbox)
(define (problem effect-forall-problem)
  (:domain effect-forall)
  (:objects
    archive - folder
    inbox - folder
    report - file
  )
  (:init
    (= (total-cost) 0)
    (in report inbox)
  )
  (:goal (and (in report archive) (not (in report inbox))))
  (:metric minimize (total-cost))
)
