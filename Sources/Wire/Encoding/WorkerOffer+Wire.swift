@_spi(Baton) import BatonOperations

@_spi(Baton) extension WorkerOffer: WireCodable {
    static let minimumLength = 5

    func write(to writer: inout ByteWriter) {
        writer.varint(cpus)
        writer.varint(memory)
        writer.optional(memoryControl) { $0.text($1.rawValue) }
        writer.map(resources) { $0.varint($1) }
        writer.map(labels) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            cpus: try reader.varint("the processors that it offers"),
            memory: try reader.varint("the memory that it offers"),
            // A later version may have other ways.
            memoryControl: try reader.optional("how it limits memory") { reader throws(WireError) in
                try reader.text("how it limits memory")
            }.flatMap(MemoryControl.init),
            resources: try reader.map("the resources that it offers") { reader throws(WireError) in
                try reader.varint("the amount of a resource")
            },
            labels: try reader.map("its labels") { reader throws(WireError) in try reader.text("a label's value") }
        )
        guard resources.count <= ResourceName.maximumCount, labels.count <= ResourceName.maximumCount,
            resources.keys.allSatisfy({ ResourceName.isValid($0) }),
            labels.keys.allSatisfy({ ResourceName.isValid($0) }),
            labels.values.allSatisfy({ ResourceName.isValidValue($0) }),
            resources.values.allSatisfy({ $0 <= ResourceName.maximumAmount })
        else {
            throw reader.malformed("what it offers", "has names or amounts that are not allowed, or too many of them")
        }
    }
}
