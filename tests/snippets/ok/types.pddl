; types
; costs are scores: cost + risk
(define (domain types_)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    file - any
    document - file  ; a file with text in it
    picture - file
    any_person - any  ; the same as without `: object`
  )
  (:predicates
    (found ?file - file)
    (summarized ?document - document)
  )
  (:functions (total-cost) - number)

  ; search_files (cost 1, risk read)
  (:action search_files
    :parameters (?f - file)
    :precondition (and)
    :effect (and (found ?f) (increase (total-cost) 1))
  )

  ; summarize (cost 1, risk read)
  (:action summarize
    :parameters (?d - document)
    :precondition (and (found ?d))
    :effect (and (summarized ?d) (increase (total-cost) 1))
  )
)

; summarized(report)
(define (problem types-problem)
  (:domain types_)
  (:objects
    report - document
  )
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (summarized report)))
  (:metric minimize (total-cost))
)
