/** What the server answers, by the names of the contract (`npm run api` writes `api.d.ts` from it). */

import type { components } from "../api";

type Shapes = components["schemas"];

export type Status = Shapes["ServerStatus"];
export type Machine = Shapes["Machine"];
export type DamageReport = Shapes["DamageReport"];
export type ImportSummary = Shapes["ImportSummary"];

export type Overview = Shapes["Overview"];
export type MapProblem = Shapes["MapProblem"];
export type DueItem = Shapes["DueItem"];
export type NextProblem = Shapes["NextProblem"];
export type DayCount = Shapes["DayCount"];
export type Chapter = Shapes["Numbered"];
export type Part = Shapes["Numbered"];
export type StatusOf = MapProblem["status"];

export type ProblemList = Shapes["ProblemList"];
export type LearningPath = Shapes["LearningPath"];
export type ProblemRow = Shapes["ProblemRow"];
export type BrokenFolder = Shapes["BrokenFolder"];
export type ProblemPage = Shapes["ProblemPage"];
export type ProblemRef = Shapes["ProblemRef"];
export type Concept = Shapes["Concept"];
export type NativeReport = Shapes["NativeReport"];
export type Hazard = Shapes["Hazard"];
export type HazardParty = Shapes["HazardParty"];
export type CountedKernel = Shapes["CountedKernel"];
export type CountedLine = Shapes["CountedLine"];
export type SubtaskResult = Shapes["SubtaskResult"];
export type Limits = Shapes["Limits"];
export type Ladder = Shapes["Ladder"];
export type Rung = Shapes["Rung"];
export type Editorial = Shapes["Editorial"];
export type LibraryLines = Shapes["LibraryLines"];
export type Solutions = Shapes["Solutions"];
export type Times = Shapes["Times"];
export type KeptInput = Shapes["KeptInput"];
export type KeptInputs = Shapes["KeptInputs"];
export type Draft = Shapes["Draft"];

export type History = Shapes["History"];
export type SubmissionLine = Shapes["SubmissionLine"];
export type Submission = Shapes["Submission"];
export type JobState = SubmissionLine["state"];
export type Accepted = Shapes["Accepted"];
export type Tried = Shapes["Tried"];
export type Formatted = Shapes["Formatted"];
export type SyntaxCheck = Shapes["SyntaxCheck"];
export type Comparison = Shapes["Comparison"];
export type DiffLine = Shapes["DiffLine"];

export type Report = Shapes["Report"];
export type VerdictCode = Report["verdict"];
export type Isolation = Report["isolation"];
export type CaseResult = Shapes["CaseResult"];
/** The groups in their order, with their numbers of cases. */
export type Plan = Submission["plan"];
export type Smallest = Shapes["Smallest"];
export type SmallestRow = Shapes["SmallestRow"];
export type Preview = Shapes["TensorPreview"] | Shapes["ValuePreview"];
export type RaisedError = Shapes["Raised"];
export type Forbidden = Shapes["Forbidden"];
export type Misconception = Shapes["Misconception"];
export type Aftermath = Shapes["Aftermath"];

/**
 * What POST /api/submissions/{id}/events streams. A new "queued" after cases: judging began anew, and what came before
 * counts no more.
 */
export type JudgeEvent =
  | Shapes["Queued"]
  | Shapes["StageReached"]
  | Shapes["Started"]
  | Shapes["Case"]
  | Shapes["VerdictReached"]
  | Shapes["MisconceptionFound"]
  | Shapes["SmallestFound"]
  | Shapes["Interrupted"]
  | Shapes["Starting"]
  | Shapes["CancelledEvent"]
  | Shapes["ErrorEvent"]
  | Shapes["Done"];

/** What the judge does; "waiting" is the place in the queue. */
export type StageName = "waiting" | Shapes["StageReached"]["stage"];
export type StageStart = { readonly name: StageName; readonly atMs: number };

export type ReviewList = Shapes["ReviewList"];
export type ReviewItem = Shapes["ReviewItem"];
export type ReviewLog = Shapes["ReviewLog"];
export type ReviewNote = Shapes["ReviewNote"];

export type QuestionList = Shapes["QuestionList"];
export type TopicRow = Shapes["TopicRow"];
export type QuestionRow = Shapes["QuestionRow"];
export type QuestionPage = Shapes["QuestionPage"];
export type QuestionOutcome = Shapes["Outcome"];
export type MarkedAnswer = Shapes["Marked"];
export type QuestionModel = Shapes["ModelAnswer"];
export type QuestionCell = Shapes["Cell"];
export type CellRun = Shapes["CellRun"];
export type Predicted = Shapes["Predicted"];

export type ChapterList = Shapes["ChapterList"];
export type ChapterRow = Shapes["ChapterRow"];
export type ChapterPage = Shapes["ChapterPage"];
export type ChapterPiece = Shapes["ChapterPiece"];
export type ChapterCell = Shapes["ChapterCell"];
export type ChapterRun = Shapes["ChapterRun"];

export type ReceiptPage = Shapes["ReceiptPage"];
export type Verification = Shapes["Verification"];

export type SearchResult = Shapes["SearchResult"];
export type SearchHit = Shapes["SearchHit"];

export type DistributedChoices = Shapes["DistributedChoices"];
export type SimulationQuestion = Shapes["SimulationQuestion"];
export type SimulationResult = Shapes["SimulationResult"];
export type SimulatedTimeline = Shapes["SimulatedTimeline"];
export type SimulatedCollective = Shapes["SimulatedCollective"];
export type SimulatedWait = Shapes["SimulatedWait"];
export type SimulationEvent =
  | Shapes["SimulationQueued"]
  | Shapes["SimulationBegun"]
  | Shapes["SimulationStep"]
  | SimulationResult
  | Shapes["SimulationError"];

export type TraceOverview = Shapes["TraceOverview"];
export type TrackHead = Shapes["TrackHead"];
export type Picture = Shapes["Picture"];
export type PictureRow = Shapes["PictureRow"];
export type Reported = Shapes["Reported"];
export type Diagnosis = Shapes["Diagnosis"];
export type DoctorFinding = Shapes["Finding"];
export type Accounting = Shapes["Accounting"];
export type Flame = Shapes["Flame"];
export type FlameNode = Shapes["FlameNode"];
export type Gap = Shapes["Gap"];
export type GapList = Shapes["GapList"];
export type ListedGap = Shapes["ListedGap"];
export type FoundEvent = Shapes["FoundEvent"];

export type XrayChoices = Shapes["XrayChoices"];
export type XrayExample = Shapes["XrayExample"];
export type XrayQuestion = Shapes["XrayQuestion"];
export type RelatedParts = Shapes["RelatedParts"];
export type XrayEvent = Shapes["XrayQueued"] | Shapes["XrayScene"] | Shapes["XrayRefusal"] | Shapes["XrayEnd"];
export type ArchitectureMap = Shapes["ArchitectureMap"];
export type PlayedCall = Shapes["PlayedCall"];
export type InterviewList = Shapes["InterviewList"];
export type InterviewRow = Shapes["InterviewRow"];
export type InterviewPage = Shapes["InterviewPage"];
export type InterviewClock = Shapes["InterviewClock"];
export type LeadPage = Shapes["LeadPage"];
export type ScoredItem = Shapes["ScoredItem"];
export type SeatPage = Shapes["SeatPage"];
export type SeatItem = Shapes["SeatItem"];
export type SampleRun = Shapes["SampleRun"];
export type InterviewReport = Shapes["InterviewReport"];
export type ScheduledStep = Shapes["ScheduledStep"];
