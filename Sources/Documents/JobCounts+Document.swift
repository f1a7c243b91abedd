@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

@_spi(Baton) extension JobCounts: Document {
    private enum CodingKeys: CodingKey {
        case pending, ready, executing, succeeded, failed, cancelled, skipped, notNeeded
    }

    /// Reads the counts; counts that affect the outcome and are missing in the document stay 0.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        pending = try container.decode(Int.self, forKey: .pending)
        ready = try container.decode(Int.self, forKey: .ready)
        executing = try container.decode(Int.self, forKey: .executing)
        succeeded = try container.decode(Int.self, forKey: .succeeded)
        failed = try container.decode(Int.self, forKey: .failed)
        cancelled = try container.decode(Int.self, forKey: .cancelled)
        skipped = try container.decode(Int.self, forKey: .skipped)
        notNeeded = try container.decode(Int.self, forKey: .notNeeded)
    }

    /// Writes seven counts, and the number of skipped operations that were not needed.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("pending", pending)
        writer.member("ready", ready)
        writer.member("executing", executing)
        writer.member("succeeded", succeeded)
        writer.member("failed", failed)
        writer.member("cancelled", cancelled)
        writer.member("skipped", skipped)
        writer.member("notNeeded", notNeeded)
        writer.endObject()
    }
}
