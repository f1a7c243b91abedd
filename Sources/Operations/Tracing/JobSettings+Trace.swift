@_spi(Baton) extension JobTag {
    /// The key of the tag with the span that a job was submitted from: the `traceparent` of W3C Trace Context.
    public static let traceParent = "traceparent"
}

@_spi(Baton) extension JobSettings {
    /// The span in the job's tag `traceparent`; nil without the tag, and for a malformed value.
    public var traceParent: TraceContext? {
        guard !tags.isEmpty else { return nil }
        return tags[JobTag.traceParent].flatMap { TraceContext($0) }
    }

    /// Takes the span of the submitting program as the job's parent, unless the job has one or has no room for the tag.
    ///
    /// - Parameter text: the `TRACEPARENT` of the program; an invalid one is ignored, as W3C Trace Context says.
    public mutating func takeTraceParent(_ text: String?) {
        guard let text, let parent = TraceContext(text), tags[JobTag.traceParent] == nil,
            tags.count < JobTag.maximumCount
        else { return }
        tags[JobTag.traceParent] = parent.description
    }

    /// The settings without the job's parent, which differs each time that a program submits the same.
    public var withoutTraceParent: JobSettings {
        guard !tags.isEmpty, tags[JobTag.traceParent] != nil else { return self }
        var settings = self
        settings.tags[JobTag.traceParent] = nil
        return settings
    }
}

@_spi(Baton) extension Submission {
    /// Tells the works of a job's operations and hooks of the job's parent, so that their workers know the trace.
    ///
    /// - Complexity: O(templates); O(1) without a parent.
    public mutating func tellWorks(of parent: TraceContext?) {
        guard let parent else { return }
        let text = parent.description
        for position in templates.indices {
            templates[position].work.environment[TraceContext.parentVariable] = text
        }
        settings.hooks?.environment[TraceContext.parentVariable] = text
    }
}
