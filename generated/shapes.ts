export const shapes = {
  "AddGenerationsToDatasetPayload": {
    "items": "DatasetItem"
  },
  "Attachment": {},
  "AttachmentPayloadInput": {},
  "ClientSession": {
    "losses": "SessionLoss",
    "missingRanges": "SequenceRange"
  },
  "CreateScoresPayload": {
    "scores": "Score"
  },
  "Dataset": {},
  "DatasetConnection": {
    "edges": "DatasetEdge",
    "pageInfo": "PageInfo"
  },
  "DatasetEdge": {
    "node": "Dataset"
  },
  "DatasetExperiment": {},
  "DatasetExperimentItem": {
    "scores": "Score"
  },
  "DatasetItem": {},
  "Deleted": {},
  "Generation": {
    "step": "Step"
  },
  "GenerationConnection": {
    "edges": "GenerationEdge",
    "pageInfo": "PageInfo"
  },
  "GenerationEdge": {
    "node": "Generation"
  },
  "GenerationPayloadInput": {},
  "GenerationsOrderByInput": {},
  "IngestStepPayload": {},
  "IngestStepsPayload": {
    "refused": "RefusedStep",
    "refusedThreads": "RefusedThread"
  },
  "PageInfo": {},
  "Participant": {},
  "ParticipantConnection": {
    "edges": "ParticipantEdge",
    "pageInfo": "PageInfo"
  },
  "ParticipantEdge": {
    "node": "Participant"
  },
  "PromptExperiment": {},
  "PromptLineage": {},
  "PromptLineageConnection": {
    "edges": "PromptLineageEdge",
    "pageInfo": "PageInfo"
  },
  "PromptLineageEdge": {
    "node": "PromptLineage"
  },
  "PromptRollout": {
    "lineage": "PromptLineage",
    "segments": "PromptSegment",
    "versions": "PromptVersion"
  },
  "PromptSegment": {},
  "PromptVersion": {
    "lineage": "PromptLineage"
  },
  "PromptVersionRollout": {},
  "PromptVersionRolloutConnection": {
    "edges": "PromptVersionRolloutEdge",
    "pageInfo": "PageInfo"
  },
  "PromptVersionRolloutEdge": {
    "node": "PromptVersionRollout"
  },
  "PromptVersionRolloutInput": {},
  "RefusedStep": {},
  "RefusedThread": {},
  "Score": {
    "step": "Step"
  },
  "ScoreConnection": {
    "edges": "ScoreEdge",
    "pageInfo": "PageInfo"
  },
  "ScoreEdge": {
    "node": "Score"
  },
  "ScoreInput": {},
  "ScorePayloadInput": {},
  "ScoresOrderByInput": {},
  "SequenceRange": {},
  "SessionInput": {
    "losses": "SessionLossInput"
  },
  "SessionLoss": {},
  "SessionLossInput": {},
  "Step": {
    "attachments": "Attachment",
    "generation": "Generation",
    "scores": "Score",
    "thread": "Thread"
  },
  "StepConnection": {
    "edges": "StepEdge",
    "pageInfo": "PageInfo"
  },
  "StepEdge": {
    "node": "Step"
  },
  "StepInput": {
    "attachments": "AttachmentPayloadInput",
    "generation": "GenerationPayloadInput",
    "scores": "ScorePayloadInput"
  },
  "StepsOrderByInput": {},
  "Thread": {
    "participant": "Participant",
    "sessions": "ClientSession",
    "steps": "Step"
  },
  "ThreadConnection": {
    "edges": "ThreadEdge",
    "pageInfo": "PageInfo"
  },
  "ThreadEdge": {
    "node": "Thread"
  },
  "ThreadInput": {},
  "ThreadsInputType": {},
  "ThreadsOrderByInput": {},
  "UpdatePromptLineageRolloutPayload": {},
  "generationsInputType": {},
  "participantsInputType": {},
  "scoresInputType": {},
  "stepsInputType": {}
} as const

export type ShapeName = keyof typeof shapes
