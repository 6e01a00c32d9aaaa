; names
; costs are scores: cost + risk
(define (domain names)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    pull_request - any
  )
  (:predicates
    (ue9tat)
    (github_create-issue)
    (not_)
    (merged ?pull_request - pull_request)
  )
  (:functions (total-cost) - number)

  ; merge it (cost 1, risk write)
  (:action merge_it
    :parameters (?r - pull_request)
    :precondition (and (ue9tat) (not_) (github_create-issue))
    :effect (and (merged ?r) (increase (total-cost) 2))
  )
)

; merged("? 17")
(define (problem names-problem)
  (:domain names)
  (:objects
    u2116_17 - pull_request
  )
  (:init
    (= (total-cost) 0)
    (github_create-issue)
    (not_)
    (ue9tat)
  )
  (:goal (and (merged u2116_17)))
  (:metric minimize (total-cost))
)
