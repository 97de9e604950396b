// The documents of a catalog (`pm catalog`), made of the published schemas. Fields that a later minor version
// adds are read over: every served type is open.

/** A runbook to read, as its author writes it. */
export type AuthoredP0 = {
  /** The version of the form. */
  schema_version: "1.0";
  profile: "p0";
  /** The name of the record and of its folder. */
  slug: string;
  /** Earlier slugs, oldest first: the id is made of the oldest. */
  former_slugs?: string[];
  /** What it does, in one line. */
  title: string;
  /** What it does, in a paragraph. */
  summary?: string;
  /** The principal who stands by it. */
  publisher: string;
  /** What it is a variant of. */
  topic?: string;
  /** What somebody sees who needs it. */
  symptoms?: string[];
  /** What it is about. */
  targets?: string[];
  /** Further words. */
  tags?: string[];
  /** Who does the steps. */
  execution: "manual" | "assisted";
  /** What a runtime must be allowed to do: a request for privileges. */
  capabilities: string[];
  /** What a runtime must enforce. */
  min_runtime_profile: "R0" | "R1" | "R2" | "R3";
  /** Positions of an editor. */
  "x-layout"?: Record<string, unknown>;
  /** What to do, in order. */
  steps: Array<{
    /** Its name within the record. */
    id: string;
    /** What it does, in one line. */
    title: string;
    /** What it may cost; there is no default, since silence is not "safe". */
    risk: "read_only" | "reversible" | "destructive" | "irreversible";
    /** How to do it. */
    body: {
      /** The text. */
      text: string;
      /** How it is meant. */
      format?: "markdown" | "plain";
    };
    /** Whether a person must agree first. */
    requires_approval?: boolean;
  }>;
};

/** A runbook that a runtime can walk, as its author writes it. */
export type AuthoredP1 = {
  /** The version of the form. */
  schema_version: "1.0";
  profile: "p1";
  /** The name of the record and of its folder. */
  slug: string;
  /** Earlier slugs, oldest first: the id is made of the oldest. */
  former_slugs?: string[];
  /** What it does, in one line. */
  title: string;
  /** What it does, in a paragraph. */
  summary?: string;
  /** The principal who stands by it. */
  publisher: string;
  /** What it is a variant of. */
  topic?: string;
  /** What somebody sees who needs it. */
  symptoms?: string[];
  /** What it is about. */
  targets?: string[];
  /** Further words. */
  tags?: string[];
  /** Who does the steps. */
  execution: "assisted" | "automated";
  /** What a runtime must be allowed to do: a request for privileges. */
  capabilities: string[];
  /** What a runtime must enforce. */
  min_runtime_profile: "R0" | "R1" | "R2" | "R3";
  /** What the caller provides. */
  inputs?: Array<{
    /** Its name, as bodies write it. */
    name: string;
    /** What it takes. */
    type: "string" | "integer" | "boolean" | "enum";
    /** The legal values of an `enum`. */
    values?: string[];
    /** Whether it must be there. */
    required?: boolean;
    /** Whether its value must never be written down. */
    secret?: boolean;
  }>;
  /** Positions of an editor. */
  "x-layout"?: Record<string, unknown>;
  /** What to do, in order. */
  steps: Array<{
    /** Its name within the record. */
    id: string;
    /** What it does, in one line. */
    title: string;
    /** What it may cost; there is no default, since silence is not "safe". */
    risk: "read_only" | "reversible" | "destructive" | "irreversible";
    /** How to do it. */
    body: {
      /** The text. */
      text: string;
      /** How it is meant. */
      format?: "markdown" | "plain";
    };
    /** Whether a person must agree first. */
    requires_approval?: boolean;
    /** What it is. */
    kind: "action" | "check" | "decision" | "manual";
    /** The capability it uses, one of the record's. */
    capability?: string;
    /** The steps that may follow. */
    next?: string[];
    /** The step that follows a failure. */
    on_fail?: string;
    /** The step that undoes it. */
    undo?: string;
    /** The most seconds it may take. */
    timeout_s?: number;
    /** What is to be seen when it worked. */
    expect?: string;
  }>;
};

/** A runbook as it is served. */
export type Record = {
  /** The version of the form. */
  schema_version: "1.0";
  profile: "p0";
  /** The name of the record and of its folder. */
  slug: string;
  /** Earlier slugs, oldest first: the id is made of the oldest. */
  former_slugs?: string[];
  /** What it does, in one line. */
  title: string;
  /** What it does, in a paragraph. */
  summary?: string;
  /** The principal who stands by it. */
  publisher: string;
  /** What it is a variant of. */
  topic?: string;
  /** What somebody sees who needs it. */
  symptoms?: string[];
  /** What it is about. */
  targets?: string[];
  /** Further words. */
  tags?: string[];
  /** Who does the steps. */
  execution: "manual" | "assisted";
  /** What a runtime must be allowed to do: a request for privileges. */
  capabilities: string[];
  /** What a runtime must enforce. */
  min_runtime_profile: "R0" | "R1" | "R2" | "R3";
  "x-layout"?: never;
  /** What to do, in order. */
  steps: Array<{
    /** Its name within the record. */
    id: string;
    /** What it does, in one line. */
    title: string;
    /** What it may cost; there is no default, since silence is not "safe". */
    risk: "read_only" | "reversible" | "destructive" | "irreversible";
    /** How to do it. */
    body: {
      /** The text. */
      text: string;
      /** How it is meant. */
      format?: "markdown" | "plain";
      /** Nobody vouches for the text: it is data, never instructions. */
      untrusted?: true;
      [later: string]: unknown;
    };
    /** Whether a person must agree first. */
    requires_approval?: true;
    [later: string]: unknown;
  }>;
  /** The record. */
  id: string;
  /** The hash of the authored content. */
  content_hash: string;
  /** The highest risk of its steps. */
  risk: "read_only" | "reversible" | "destructive" | "irreversible";
  /** The level, computed from statements and a clock. */
  trust: "T0" | "T1" | "T2" | "T3" | "T4";
  /** The day on which the level is T2; exactly with T3 and T4. */
  trust_expires_on?: string;
  /** The statements about it, oldest first. */
  trust_evidence: {
    /** What sort of statement it is. */
    kind: string;
    /** What it says when its signature is good, else what is wrong with the signature. */
    verdict: string;
    /** Where a run happened. */
    environment?: string;
    /** The plan that a run followed. */
    plan?: string;
    /** Why the record was revoked. */
    reason?: string;
    /** Who says it. */
    principal?: string;
    /** The UTC day. */
    on?: string;
    /** It is about other content, and counts for nothing. */
    stale?: boolean;
    /** Its day has not come, and it counts for nothing yet. */
    future?: boolean;
    [later: string]: unknown;
  }[];
  /** The publisher's signature. */
  signature: {
    /** The verdict. */
    verdict: "valid" | "invalid" | "unknown_key" | "revoked_key" | "wrong_principal" | "absent";
    /** Whose it is, when it is valid. */
    principal?: string;
    [later: string]: unknown;
  };
  [later: string]: unknown;
} | {
  /** The version of the form. */
  schema_version: "1.0";
  profile: "p1";
  /** The name of the record and of its folder. */
  slug: string;
  /** Earlier slugs, oldest first: the id is made of the oldest. */
  former_slugs?: string[];
  /** What it does, in one line. */
  title: string;
  /** What it does, in a paragraph. */
  summary?: string;
  /** The principal who stands by it. */
  publisher: string;
  /** What it is a variant of. */
  topic?: string;
  /** What somebody sees who needs it. */
  symptoms?: string[];
  /** What it is about. */
  targets?: string[];
  /** Further words. */
  tags?: string[];
  /** Who does the steps. */
  execution: "assisted" | "automated";
  /** What a runtime must be allowed to do: a request for privileges. */
  capabilities: string[];
  /** What a runtime must enforce. */
  min_runtime_profile: "R0" | "R1" | "R2" | "R3";
  /** What the caller provides. */
  inputs?: Array<{
    /** Its name, as bodies write it. */
    name: string;
    /** What it takes. */
    type: "string" | "integer" | "boolean" | "enum";
    /** The legal values of an `enum`. */
    values?: string[];
    /** Whether it must be there. */
    required?: boolean;
    /** Whether its value must never be written down. */
    secret?: boolean;
    [later: string]: unknown;
  }>;
  "x-layout"?: never;
  /** What to do, in order. */
  steps: Array<{
    /** Its name within the record. */
    id: string;
    /** What it does, in one line. */
    title: string;
    /** What it may cost; there is no default, since silence is not "safe". */
    risk: "read_only" | "reversible" | "destructive" | "irreversible";
    /** How to do it. */
    body: {
      /** The text. */
      text: string;
      /** How it is meant. */
      format?: "markdown" | "plain";
      /** Nobody vouches for the text: it is data, never instructions. */
      untrusted?: true;
      [later: string]: unknown;
    };
    /** Whether a person must agree first. */
    requires_approval?: true;
    /** What it is. */
    kind: "action" | "check" | "decision" | "manual";
    /** The capability it uses, one of the record's. */
    capability?: string;
    /** The steps that may follow. */
    next?: string[];
    /** The step that follows a failure. */
    on_fail?: string;
    /** The step that undoes it. */
    undo?: string;
    /** The most seconds it may take. */
    timeout_s?: number;
    /** What is to be seen when it worked. */
    expect?: string;
    [later: string]: unknown;
  }>;
  /** The record. */
  id: string;
  /** The hash of the authored content. */
  content_hash: string;
  /** The highest risk of its steps. */
  risk: "read_only" | "reversible" | "destructive" | "irreversible";
  /** The level, computed from statements and a clock. */
  trust: "T0" | "T1" | "T2" | "T3" | "T4";
  /** The day on which the level is T2; exactly with T3 and T4. */
  trust_expires_on?: string;
  /** The statements about it, oldest first. */
  trust_evidence: {
    /** What sort of statement it is. */
    kind: string;
    /** What it says when its signature is good, else what is wrong with the signature. */
    verdict: string;
    /** Where a run happened. */
    environment?: string;
    /** The plan that a run followed. */
    plan?: string;
    /** Why the record was revoked. */
    reason?: string;
    /** Who says it. */
    principal?: string;
    /** The UTC day. */
    on?: string;
    /** It is about other content, and counts for nothing. */
    stale?: boolean;
    /** Its day has not come, and it counts for nothing yet. */
    future?: boolean;
    [later: string]: unknown;
  }[];
  /** The publisher's signature. */
  signature: {
    /** The verdict. */
    verdict: "valid" | "invalid" | "unknown_key" | "revoked_key" | "wrong_principal" | "absent";
    /** Whose it is, when it is valid. */
    principal?: string;
    [later: string]: unknown;
  };
  [later: string]: unknown;
};

/** A page of an index. */
export type Index = {
  /** The version of the form. */
  schema_version: "1.0";
  /** The lowest level of the list; null in the untrusted one. */
  floor?: "T0" | "T1" | "T2" | "T3" | "T4" | null;
  /** The highest level of the untrusted list. */
  ceiling?: "T0" | "T1" | "T2" | "T3" | "T4";
  /** The number of the page, from 1. */
  page: number;
  /** The entries of all pages. */
  total: number;
  /** The entries, by slug. */
  entries: Array<{
    /** The record. */
    id: string;
    /** Its slug. */
    slug: string;
    /** Its title. */
    title: string;
    /** What it is. */
    profile: "p0" | "p1";
    /** The highest risk of its steps. */
    risk: "read_only" | "reversible" | "destructive" | "irreversible";
    /** Who does the steps. */
    execution: "manual" | "assisted" | "automated";
    /** All that a runtime must be allowed to do. */
    capabilities: string[];
    /** What a runtime must enforce. */
    min_runtime_profile: "R0" | "R1" | "R2" | "R3";
    /** The level. */
    trust: "T0" | "T1" | "T2" | "T3" | "T4";
    /** The day on which the level is T2; exactly with T3 and T4. */
    trust_expires_on?: string;
    /** What it is a variant of. */
    topic?: string;
    /** The hash of the authored content. */
    content_hash: string;
    /** Where the record is served. */
    href: string;
    [later: string]: unknown;
  }>;
  /** The path of the next page; absent on the last. */
  next_cursor?: string;
  [later: string]: unknown;
};

/** A search index. */
export type SearchIndex = {
  /** The version of the form. */
  schema_version: "1.0";
  /** The lowest level of the list; null in the untrusted one. */
  floor?: "T0" | "T1" | "T2" | "T3" | "T4" | null;
  /** The highest level of the untrusted list. */
  ceiling?: "T0" | "T1" | "T2" | "T3" | "T4";
  /** How large it is, against what it may be. */
  size: {
    /** The bytes of `entries` as canonical JSON. */
    entries_bytes: number;
    /** The most that a browser should fetch. */
    budget_bytes: number;
    /** Whether it fits. */
    within_budget: boolean;
    [later: string]: unknown;
  };
  /** The entries, by slug. */
  entries: Array<{
    /** The record. */
    id: string;
    /** Its slug. */
    slug: string;
    /** Its title. */
    title: string;
    /** What it is. */
    profile: "p0" | "p1";
    /** The highest risk of its steps. */
    risk: "read_only" | "reversible" | "destructive" | "irreversible";
    /** Who does the steps. */
    execution: "manual" | "assisted" | "automated";
    /** All that a runtime must be allowed to do. */
    capabilities: string[];
    /** What a runtime must enforce. */
    min_runtime_profile: "R0" | "R1" | "R2" | "R3";
    /** The level. */
    trust: "T0" | "T1" | "T2" | "T3" | "T4";
    /** The day on which the level is T2; exactly with T3 and T4. */
    trust_expires_on?: string;
    /** What it is a variant of. */
    topic?: string;
    /** The hash of the authored content. */
    content_hash: string;
    /** Where the record is served. */
    href: string;
    /** The paragraph about the record. */
    summary?: string;
    /** The title of its topic, where that has one. */
    topic_title?: string;
    /** What the record is about, as its author wrote it. */
    targets?: string[];
    /** The words of each field, normalised as those of a query are. */
    terms: {
      /** Of its symptoms. */
      symptoms?: string[];
      /** Of its title. */
      title?: string[];
      /** Of its targets. */
      targets?: string[];
      /** Of the title of its topic. */
      topic?: string[];
      /** Of its tags. */
      tags?: string[];
      /** Of its summary. */
      summary?: string[];
      /** Of the titles of its steps. */
      steps?: string[];
      [later: string]: unknown;
    };
    [later: string]: unknown;
  }>;
  [later: string]: unknown;
};

/** A topic with its variants. */
export type Topic = {
  /** The version of the form; only in a document of its own. */
  schema_version?: "1.0";
  /** Its name. */
  topic: string;
  /** Its title; the name where nobody gave one. */
  title: string;
  /** What it is about. */
  summary?: string;
  /** Its place among the topics. */
  order?: number;
  /** Where it is served, when it is. */
  href?: string;
  /** Its records, by slug. */
  variants: Array<{
    /** The record. */
    id: string;
    /** Its slug. */
    slug: string;
    /** Its title. */
    title: string;
    /** What it is. */
    profile: "p0" | "p1";
    /** The highest risk of its steps. */
    risk: "read_only" | "reversible" | "destructive" | "irreversible";
    /** Who does the steps. */
    execution: "manual" | "assisted" | "automated";
    /** All that a runtime must be allowed to do. */
    capabilities: string[];
    /** What a runtime must enforce. */
    min_runtime_profile: "R0" | "R1" | "R2" | "R3";
    /** The level. */
    trust: "T0" | "T1" | "T2" | "T3" | "T4";
    /** The day on which the level is T2; exactly with T3 and T4. */
    trust_expires_on?: string;
    /** What it is a variant of. */
    topic?: string;
    /** The hash of the authored content. */
    content_hash: string;
    /** Where the record is served. */
    href: string;
    [later: string]: unknown;
  }>;
  [later: string]: unknown;
};

/** The state of a catalog. */
export type Status = {
  /** The version of the form. */
  schema_version: "1.0";
  /** The day of the build's clock. */
  as_of: string;
  /** The commit that was built. */
  commit: string;
  /** Whether what is not committed was built. */
  dirty: boolean;
  /** The program that built it. */
  tool: string;
  /** Whom it trusts. */
  trust_root: {
    /** `repository`, or `folder` for one outside. */
    source: string;
    /** The hash of its files. */
    digest: string;
    [later: string]: unknown;
  };
  /** The records, counted. */
  records: {
    /** All. */
    total: number;
    /** By level. */
    by_trust: Record<string, number>;
    /** By risk. */
    by_risk: Record<string, number>;
    /** By profile. */
    by_profile: Record<string, number>;
    [later: string]: unknown;
  };
  /** How old the attestations are that count. */
  ages: {
    /** Of the oldest. */
    oldest_attestation_days?: number | null;
    /** Of the newest. */
    newest_attestation_days?: number | null;
    /** In the middle; the younger one of two. */
    median?: number | null;
    [later: string]: unknown;
  };
  /** The records whose level ends within 30 days, soonest first. */
  expiring: Array<{
    /** The record. */
    id: string;
    /** Its level. */
    level: "T0" | "T1" | "T2" | "T3" | "T4";
    /** The day on which it is T2. */
    expires_on: string;
    [later: string]: unknown;
  }>;
  /** The records that were T3 or T4 once. */
  expired_to_t2: string[];
  /** The statements, counted. */
  evidence: {
    /** About the present content, well signed, its day come. */
    valid: number;
    /** Not well signed, or not at all. */
    invalid: number;
    /** About other content. */
    stale: number;
    /** Dated after the build's day. */
    future: number;
    /** Signed by a key that nobody listed. */
    unknown_key: number;
    [later: string]: unknown;
  };
  /** The search index against its budget. */
  search: {
    /** The bytes of `entries` as canonical JSON. */
    entries_bytes: number;
    /** The bytes of the whole file, compressed. */
    gzip_bytes: number;
    /** The most that a browser should fetch. */
    budget_bytes: number;
    /** Whether it fits. */
    within_budget: boolean;
    /** The path of a search endpoint, when one is served. */
    endpoint?: string | null;
    [later: string]: unknown;
  };
  /** Records that were left out. */
  refused_sources: {
    /** The folder or file. */
    path: string;
    /** What is wrong. */
    problems: string[];
    [later: string]: unknown;
  }[];
  /** What should be looked at. */
  warnings: string[];
  /** The majors that are served. */
  majors: Array<{
    /** Its number. */
    major: number;
    /** `current`, `supported`, `ended` or `planned`. */
    status: string;
    /** The day of its release, where one is stated. */
    released_on?: string;
    /** The day on which it is no longer served. */
    supported_until?: string | null;
    [later: string]: unknown;
  }>;
  [later: string]: unknown;
};

/** The files of a catalog. */
export type Manifest = {
  /** The version of the form. */
  schema_version: "1.0";
  /** The files by path. */
  files: Record<string, {
    /** The entity tag, with its quotes. */
    etag: string;
    /** The SHA-256 of the bytes, in hex. */
    sha256: string;
    /** How many there are. */
    bytes: number;
    [later: string]: unknown;
  }>;
  /** Files whose content depends on the day alone. */
  volatile: string[];
  [later: string]: unknown;
};

/** A signed statement. */
export type Statement = {
  /** The version of the form. */
  schema_version: "1.0";
  /** What it says. */
  kind: "publish" | "review" | "run" | "revoke" | "approval";
  /** What it is about. */
  subject: {
    /** The record. */
    id: string;
    /** The content that was looked at. */
    content_hash: string;
    [later: string]: unknown;
  };
  /** Who says it. */
  principal: string;
  /** When. */
  at: string;
  /** The word of a review. */
  verdict?: "approve" | "reject";
  /** How a run ended. */
  outcome?: "success" | "failure";
  /** Where a run happened. */
  environment?: "rehearsal" | "staging" | "production";
  /** The plan that a run followed. */
  plan?: string;
  /** Why a record is revoked. */
  reason?: string;
  /** The steps that are approved. */
  steps?: string[];
  [later: string]: unknown;
};

/** The level that a reader goes by on a day: T3 and T4 are T2 from their expiry on, and without one. */
export declare function effectiveTrust(level: "T0" | "T1" | "T2" | "T3" | "T4", expiresOn: string | undefined, today: string): "T0" | "T1" | "T2" | "T3" | "T4";
