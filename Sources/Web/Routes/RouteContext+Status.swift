@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension RouteContext {
    /// The cluster at one glance, with the state of the record.
    ///
    /// While the record cannot be written, the coordinator answers no more than what a screen needs; the document then lacks the
    /// members that are not part of that.
    func status() async throws(WebRefusal) -> [UInt8] {
        switch await connection.ask(.document(.status)) {
        case .document(let bytes)?:
            let now = try StatusDocument.read(bytes).time
            return bytes.withMembers { writer in
                writer.member("now", description: now)
                Self.writeRecord(fault: nil, to: &writer)
            }
        case .refused(let refusal)? where refusal.code == .storage:
            let overview = try OverviewDocument.read(try await document(.overview(jobs: 0)))
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("coordinator", overview.coordinator)
            writer.member("version", overview.version)
            writer.member("epoch", overview.epoch)
            writer.member("uptimeSeconds", overview.uptimeSeconds)
            writer.member("time", description: overview.time)
            writer.member("workers", overview.workers)
            writer.member("slots", overview.slots)
            writer.member("counts", overview.counts)
            writer.member("now", description: overview.time)
            Self.writeRecord(fault: overview.recordFault ?? refusal.message, to: &writer)
            writer.endObject()
            return writer.bytes
        case .refused(let refusal)?: throw WebRefusal(refusal)
        case .some: throw .unexpected
        case nil: throw .noAnswer
        }
    }

    private static func writeRecord(fault: String?, to writer: inout JSONWriter) {
        writer.key("record")
        writer.beginObject()
        writer.member("ok", fault == nil)
        writer.member("message", fault)
        writer.endObject()
    }
}

extension AnswerDocument {
    /// The cluster at one glance; what is no more than the screen's is absent while the record cannot be written.
    static let status = AnswerDocument(
        StatusDocument.self,
        maybeWithout: [
            "security", "key", "awaitedWorkers", "failing", "queues", "role", "store", "replication", "standbys",
        ],
        with: [
            Schema.Member(name: "now", schema: .nullable(.moment)),
            Schema.Member(
                name: "record",
                schema: .object([
                    Schema.Member(name: "ok", schema: .truth), Schema.Member(name: "message", schema: .nullable(.text)),
                ])
            ),
        ]
    )
}
