; finds
; costs are scores: cost + risk
(define (domain finds)
  (:requirements :strips :typing :existential-preconditions :action-costs)
  (:types
    any - object
    folder - any
    file - any
  )
  (:constants
    find_largest_largest - file
  )
  (:predicates
    (opened ?folder - folder)
    (found ?file - file)
    (summarized ?file - file)
    (file-enumerated)
    (present ?thing - any)  ; what tools find or create is there once they have
  )
  (:functions (total-cost) - number)

  ; find_largest (cost 1, risk read)
  (:action find_largest
    :parameters (?d - folder)
    :precondition (and (opened ?d))
    :effect (and (found find_largest_largest) (present find_largest_largest) (increase (total-cost) 1))
  )

  ; summarize (cost 1, risk read)
  (:action summarize
    :parameters (?f - file)
    :precondition (and (present ?f) (found ?f))
    :effect (and (summarized ?f) (increase (total-cost) 1))
  )
)

; exists f: file (summarized(f))
(define (problem finds-problem)
  (:domain finds)
  (:objects
    inbox - folder
  )
  (:init
    (= (total-cost) 0)
    (opened inbox)
    (present inbox)
  )
  (:goal (and (exists (?f - file) (and (present ?f) (summarized ?f)))))
  (:metric minimize (total-cost))
)
