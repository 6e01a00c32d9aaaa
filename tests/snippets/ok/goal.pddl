; goal
; costs are scores: cost + risk
(define (domain goal_)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types
    any - object
    file - any
    person - any
  )
  (:predicates
    (described ?file - file)
    (found ?file - file)
    (shared ?file - file ?person - person)
    (private ?file - file)
  )
  (:functions (total-cost) - number)

  ; search_files (cost 1, risk read)
  (:action search_files
    :parameters (?f - file)
    :precondition (and (described ?f))
    :effect (and (found ?f) (increase (total-cost) 1))
  )

  ; share_file (cost 1, risk share)
  (:action share_file
    :parameters (?f - file ?p - person)
    :precondition (and (found ?f))
    :effect (and (not (private ?f)) (shared ?f ?p) (increase (total-cost) 4))
  )

  ; ask_described (cost 5, a question): Please say: described
  (:action ask_described
    :parameters (?file - file)
    :precondition (and)
    :effect (and (described ?file) (increase (total-cost) 5))
  )
)

; share_file(report, anna)
(define (problem goal-problem)
  (:domain goal_)
  (:objects
    anna - person
    report - file
  )
  (:init
    (= (total-cost) 0)
    (described report)
    (private report)
  )
  (:goal (and (shared report anna) (not (private report)) (described report)))
  (:metric minimize (total-cost))
)
