import type { CodegenConfig } from '@graphql-codegen/cli'

const common = {
  scalars: { DateTime: 'string', Json: 'unknown' },
  enumsAsTypes: true,
  enumType: 'string-literal',
  skipTypename: true,
  useTypeImports: true,
}

/** The documents that the SDK sends. */
const documents = 'operations/*.graphql'

const storage = (file: string, row: string) => `../src/storage/${file}.js#${row}`
const page = (name: string) => `../src/graphql/engine/connection.js#${name}`

/** Files of `src/model-calls/` that the service has as well. */
const copies = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      `server/generated/model-calls/${name}.ts`,
      { plugins: ['./scripts/codegen/copy.js'] },
    ]),
  )

const config: CodegenConfig = {
  schema: 'schema/*.graphql',
  emitLegacyCommonJSImports: false,
  importExtension: '.js',
  generates: {
    'generated/schema.ts': {
      plugins: ['typescript'],
      config: {
        ...common,
        avoidOptionals: { field: true },
        inputMaybeValue: 'T | null | undefined',
      },
    },
    'generated/operations.ts': {
      documents,
      plugins: ['./scripts/codegen/described-operations.js', 'typed-document-node'],
      config: {
        ...common,
        inlineFragmentTypes: 'combine',
        importSchemaTypesFrom: './generated/schema.ts',
      },
    },
    'generated/agents.ts': {
      documents: 'operations/agents/*.graphql',
      plugins: ['./scripts/codegen/described-operations.js', 'typed-document-node'],
      config: {
        ...common,
        inlineFragmentTypes: 'combine',
        importSchemaTypesFrom: './generated/schema.ts',
      },
    },
    'generated/exit-worker.ts': { plugins: ['./scripts/codegen/exit-worker.js'] },
    'generated/record-steps.ts': { documents, plugins: ['./scripts/codegen/record-steps.js'] },
    'generated/filters.ts': { plugins: ['./scripts/codegen/filters.js'] },
    'server/generated/list-fields.ts': { plugins: ['./scripts/codegen/list-fields.js'] },
    'web/generated/list-fields.ts': { plugins: ['./scripts/codegen/list-fields.js'] },
    'docs/reference/filters.md': { plugins: ['./scripts/codegen/filters-page.js'] },
    'generated/outline-flags.ts': { plugins: ['./scripts/codegen/outline-flags.js'] },
    'server/generated/outline-flags.ts': { plugins: ['./scripts/codegen/outline-flags.js'] },
    'generated/never-null.ts': { plugins: ['./scripts/codegen/never-null.js'] },
    'generated/shapes.ts': { plugins: ['./scripts/codegen/shapes.js'] },
    'web/generated/operations.ts': {
      // The UI asks for some nouns as the SDK does.
      documents: [
        'operations/web/*.graphql',
        'operations/alerts.graphql',
        'operations/prices.graphql',
        'operations/retention.graphql',
        'operations/views.graphql',
      ],
      plugins: ['./scripts/codegen/described-operations.js', 'typed-document-node'],
      config: {
        ...common,
        inlineFragmentTypes: 'combine',
        importSchemaTypesFrom: './generated/schema.ts',
      },
    },
    'web/generated/step-types.ts': { plugins: ['./scripts/codegen/step-types.js'] },
    'server/generated/price-book.ts': { plugins: ['./scripts/codegen/price-book.js'] },
    'server/generated/tables.ts': { plugins: ['./scripts/codegen/tables.js'] },
    'server/generated/type-defs.ts': { plugins: ['./scripts/codegen/type-defs.js'] },
    ...copies(
      'json',
      'message-parts',
      'usage/usage',
      'usage/openai',
      'usage/langchain',
      'usage/langfuse',
      'usage/ai-sdk',
      'usage/attributes',
    ),
    'server/generated/scopes.ts': { plugins: ['./scripts/codegen/scopes.js'] },
    'server/generated/resolvers.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        ...common,
        inputMaybeValue: 'T | null | undefined',
        contextType: '../src/graphql/engine/context.js#Context',
        // The value that resolvers return for a type: the row that storage read, or the page of rows.
        mappers: {
          Attachment: storage('attachments', 'AttachmentRow'),
          AuditEntry: storage('audit/entries', 'AuditEntryRow'),
          AuditEntryConnection: page('AuditEntryPage'),
          ClientSession: storage('sessions', 'SessionRow'),
          Dataset: storage('datasets', 'DatasetRow'),
          DatasetConnection: page('DatasetPage'),
          DatasetItemConnection: page('DatasetItemPage'),
          DatasetExperimentConnection: page('ExperimentPage'),
          DatasetExperimentItemConnection: page('ExperimentItemPage'),
          Retention: '../src/domain/retention/retention.js#RetentionState',
          DatasetExperiment: storage('experiments', 'ExperimentRow'),
          DatasetExperimentItem: storage('experiments', 'ExperimentItemRow'),
          ExperimentItemPlace: storage('experiments', 'ItemPlaceRow'),
          DatasetItem: storage('datasets', 'DatasetItemRow'),
          Generation: storage('generations', 'GenerationRow'),
          GenerationConnection: page('GenerationPage'),
          Outline: '../src/domain/outlines/outline.js#Outline as FoundOutline',
          Alert: storage('alerts/alerts', 'AlertRow'),
          AlertEvent: storage('alerts/events', 'AlertEventRow'),
          ApiKey: storage('keys', 'KeyRow'),
          ModelEndpoint: storage('models/endpoints', 'ModelEndpointRow'),
          Project: '../src/domain/projects.js#ProjectRow',
          MetricSeries: '../src/domain/metrics/series.js#Series',
          ScoreSummary: storage('scores/summaries', 'ScoreSummaryRow'),
          ScoreDefinition: storage('scores/definitions', 'ScoreDefinitionRow'),
          Judge: storage('judges/judges', 'JudgeRow'),
          CostDetails: '../src/domain/prices/shown.js#ShownCost',
          Price: '../src/domain/prices/book.js#PriceEntry',
          PriceRates: '../src/domain/prices/book.js#Rates',
          Participant: storage('users', 'ParticipantRow'),
          ParticipantConnection: page('ParticipantPage'),
          PromptExperiment: storage('prompts', 'PromptVariantRow'),
          PromptLineage: storage('prompts', 'LineageRow'),
          PromptLabel: storage('prompts', 'PromptLabelRow'),
          PromptLabelMove: storage('prompts', 'PromptLabelMoveRow'),
          PromptRollout: '../src/domain/prompts/prompts.js#PromptRolloutRow',
          PromptVersion: storage('prompts', 'PromptVersionRow'),
          Score: storage('scores/scores', 'ScoreRow'),
          ScoreConnection: page('ScorePage'),
          Step: storage('steps', 'StepRow'),
          StepConnection: page('StepPage'),
          Thread: '../src/graphql/engine/thread-node.js#ThreadNode',
          ThreadConnection: page('ThreadPage'),
          View: storage('reading/views', 'ViewRow'),
          TokenUsage: './model-calls/usage/usage.js#Usage',
        },
      },
    },
  },
}

export default config
