export const shapes = {
  "AddGenerationsToDatasetPayload": {
    "items": "DatasetItem"
  },
  "Alert": {
    "quietHours": "AlertQuietHours"
  },
  "AlertCall": {},
  "AlertEvent": {
    "call": "AlertCall"
  },
  "AlertQuietHours": {
    "periods": "AlertQuietPeriod"
  },
  "AlertQuietHoursInput": {
    "periods": "AlertQuietPeriodInput"
  },
  "AlertQuietPeriod": {},
  "AlertQuietPeriodInput": {},
  "AlertWithSecret": {
    "alert": "Alert"
  },
  "ApiKey": {},
  "Attachment": {},
  "AttachmentPayloadInput": {},
  "AuditEntriesOrderByInput": {},
  "AuditEntry": {},
  "AuditEntryConnection": {
    "edges": "AuditEntryEdge",
    "pageInfo": "PageInfo"
  },
  "AuditEntryEdge": {
    "node": "AuditEntry"
  },
  "ChartSettings": {},
  "ChartSettingsInput": {},
  "ClientSession": {
    "losses": "SessionLoss",
    "missingRanges": "SequenceRange"
  },
  "ConversationEnd": {},
  "CostDetails": {
    "parts": "CostPart",
    "price": "Price",
    "unpriced": "UnpricedPart"
  },
  "CostPart": {},
  "CreateDatasetExperimentItemsPayload": {
    "refusedScores": "RefusedResultScore"
  },
  "CreateJudgementsPayload": {},
  "CreateScoresPayload": {
    "scores": "Score"
  },
  "CreatedApiKey": {
    "apiKey": "ApiKey"
  },
  "Dataset": {
    "items": "DatasetItemConnection"
  },
  "DatasetConnection": {
    "edges": "DatasetEdge",
    "pageInfo": "PageInfo"
  },
  "DatasetEdge": {
    "node": "Dataset"
  },
  "DatasetExperiment": {
    "dataset": "Dataset",
    "items": "DatasetExperimentItemConnection",
    "measures": "ScoreSummary",
    "outcomes": "ExperimentOutcomes",
    "scores": "ScoreSummary"
  },
  "DatasetExperimentConnection": {
    "edges": "DatasetExperimentEdge",
    "pageInfo": "PageInfo"
  },
  "DatasetExperimentEdge": {
    "node": "DatasetExperiment"
  },
  "DatasetExperimentItem": {
    "datasetItem": "DatasetItem",
    "experiment": "DatasetExperiment",
    "scores": "Score"
  },
  "DatasetExperimentItemConnection": {
    "edges": "DatasetExperimentItemEdge",
    "pageInfo": "PageInfo"
  },
  "DatasetExperimentItemEdge": {
    "node": "DatasetExperimentItem"
  },
  "DatasetItem": {
    "results": "DatasetExperimentItemConnection"
  },
  "DatasetItemConnection": {
    "edges": "DatasetItemEdge",
    "pageInfo": "PageInfo"
  },
  "DatasetItemEdge": {
    "node": "DatasetItem"
  },
  "Deleted": {},
  "DeletedParticipantData": {},
  "ExperimentItemPlace": {
    "experiment": "DatasetExperiment"
  },
  "ExperimentLease": {},
  "ExperimentOutcomes": {
    "pageInfo": "PageInfo"
  },
  "ExperimentPlaceInput": {},
  "ExperimentResultInput": {
    "scores": "ScoreInput"
  },
  "Facet": {},
  "Generation": {
    "costDetails": "CostDetails",
    "step": "Step",
    "usage": "TokenUsage"
  },
  "GenerationConnection": {
    "edges": "GenerationEdge",
    "pageInfo": "PageInfo"
  },
  "GenerationEdge": {
    "node": "Generation"
  },
  "GenerationPayloadInput": {
    "usage": "TokenUsageInput"
  },
  "GenerationsOrderByInput": {},
  "IngestStepPayload": {},
  "IngestStepsPayload": {
    "refused": "RefusedStep",
    "refusedScores": "RefusedScore",
    "refusedThreads": "RefusedThread"
  },
  "Judge": {
    "budget": "JudgeBudget",
    "usedToday": "JudgeUsage"
  },
  "JudgeBudget": {},
  "JudgeBudgetInput": {},
  "JudgeInput": {
    "budget": "JudgeBudgetInput",
    "filters": "stepsInputType",
    "threadFilters": "ThreadsInputType"
  },
  "JudgeUsage": {},
  "JudgementInput": {
    "scores": "JudgementScoreInput"
  },
  "JudgementLease": {},
  "JudgementPair": {},
  "JudgementScoreInput": {},
  "LeaseDatasetExperimentItemsPayload": {
    "leases": "ExperimentLease"
  },
  "LeaseJudgementsPayload": {
    "leases": "JudgementLease",
    "usedToday": "JudgeUsage"
  },
  "Measurement": {},
  "MetricSeries": {
    "buckets": "Measurement",
    "total": "Measurement"
  },
  "Metrics": {
    "series": "MetricSeries"
  },
  "ModelEndpoint": {},
  "Outline": {},
  "PageInfo": {},
  "Participant": {},
  "ParticipantConnection": {
    "edges": "ParticipantEdge",
    "pageInfo": "PageInfo"
  },
  "ParticipantEdge": {
    "node": "Participant"
  },
  "ParticipantsOrderByInput": {},
  "Price": {
    "rates": "PriceRates",
    "tiers": "PriceTier"
  },
  "PriceBook": {
    "prices": "Price"
  },
  "PriceInput": {
    "rates": "PriceRatesInput",
    "tiers": "PriceTierInput"
  },
  "PriceRates": {},
  "PriceRatesInput": {},
  "PriceTier": {
    "rates": "PriceRates"
  },
  "PriceTierInput": {
    "rates": "PriceRatesInput"
  },
  "Project": {
    "conversationEnd": "ConversationEnd",
    "storage": "Storage"
  },
  "PromptExperiment": {},
  "PromptLabel": {},
  "PromptLabelMove": {},
  "PromptLineage": {
    "labelMoves": "PromptLabelMove",
    "labels": "PromptLabel",
    "rollouts": "PromptVersionRollout",
    "versions": "PromptVersion"
  },
  "PromptLineageConnection": {
    "edges": "PromptLineageEdge",
    "pageInfo": "PageInfo"
  },
  "PromptLineageEdge": {
    "node": "PromptLineage"
  },
  "PromptRollout": {
    "labelledVersions": "PromptVersion",
    "labels": "PromptLabel",
    "lineage": "PromptLineage",
    "segments": "PromptSegment",
    "versions": "PromptVersion"
  },
  "PromptSegment": {},
  "PromptUse": {
    "scores": "ScoreSummary"
  },
  "PromptVersion": {
    "lineage": "PromptLineage",
    "use": "PromptUse"
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
  "RefusedResultScore": {},
  "RefusedScore": {},
  "RefusedStep": {},
  "RefusedThread": {},
  "Repricing": {},
  "Retention": {
    "rules": "RetentionRule"
  },
  "RetentionPreview": {},
  "RetentionRule": {},
  "RetentionRuleInput": {},
  "RetryDatasetExperimentItemsPayload": {},
  "Score": {
    "experimentItem": "ExperimentItemPlace",
    "step": "Step",
    "thread": "Thread"
  },
  "ScoreConnection": {
    "edges": "ScoreEdge",
    "pageInfo": "PageInfo"
  },
  "ScoreDefinition": {
    "labels": "ScoreLabel"
  },
  "ScoreEdge": {
    "node": "Score"
  },
  "ScoreInput": {},
  "ScoreLabel": {},
  "ScoreLabelInput": {},
  "ScorePayloadInput": {},
  "ScoreSummary": {},
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
  "Storage": {},
  "Thread": {
    "participant": "Participant",
    "scores": "Score",
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
  "ThreadInput": {
    "scores": "ScorePayloadInput"
  },
  "ThreadsInputType": {},
  "ThreadsOrderByInput": {},
  "TokenUsage": {},
  "TokenUsageInput": {},
  "UnpricedPart": {},
  "UpdatePromptLineageRolloutPayload": {},
  "View": {
    "chart": "ChartSettings"
  },
  "auditEntriesInputType": {},
  "generationsInputType": {},
  "participantsInputType": {},
  "scoresInputType": {},
  "stepsInputType": {}
} as const

export type ShapeName = keyof typeof shapes
