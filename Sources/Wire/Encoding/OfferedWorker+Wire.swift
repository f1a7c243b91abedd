@_spi(Baton) import BatonOperations

@_spi(Baton) extension OfferedWorker: WireCodable {
    static let minimumLength = 6

    func write(to writer: inout ByteWriter) {
        writer.varint(slots)
        writer.optional(cpus) { $0.varint($1) }
        writer.optional(memory) { $0.varint($1) }
        writer.map(resources) { $0.varint($1) }
        writer.map(labels) { $0.text($1) }
        writer.optional(time)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let slots: Int = try reader.varint("the slots")
        guard slots > 0 else { throw reader.malformed("the offered worker", "has no slots") }
        self.init(
            slots: slots,
            cpus: try reader.optional("the processors") { reader throws(WireError) in
                try reader.varint("the processors")
            },
            memory: try reader.optional("the memory") { reader throws(WireError) in
                try reader.varint("the memory")
            },
            resources: try reader.map("the resources") { reader throws(WireError) in
                try reader.varint("the amount of a resource")
            },
            labels: try reader.map("the labels") { reader throws(WireError) in try reader.text("a label's value") },
            time: try reader.optional("the time")
        )
        guard resources.count <= ResourceName.maximumCount, labels.count <= ResourceName.maximumCount,
            resources.values.allSatisfy({ $0 <= ResourceName.maximumAmount })
        else {
            throw reader.malformed("the offered worker", "has too many resources or labels, or too many units")
        }
    }
}
