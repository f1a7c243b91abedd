/// The versions of the protocol between the processes that this build speaks: one, or two that follow each other.
@_spi(Baton) public enum ProtocolVersion {
    /// The oldest version.
    public static let oldest: UInt16 = 1
    /// The newest version.
    ///
    /// Version 1 is that of Baton 0.1.0. Version 2 has ``WorkerMessage/stops(_:_:)``, ``ClientReply/reading(percent:)``,
    /// ``WorkerHello/earlierStarts``, ``WorkerHello/filesLimit``, ``CoordinatorMessage/pauses(_:)``, ``CoordinatorMessage/signal(_:_:)``
    /// and ``Welcome/pausedAttempts`` besides. Three requests are new in it, too, which a client repeats without their conditions if an
    /// earlier coordinator cannot read them: a submission and an addition that may be refused as unplaceable, and a retry that may be
    /// refused so or as another one. An earlier coordinator also cannot read a dependency on elements of an array, or on the failure
    /// of all: nothing is submitted then. Nor can it read a retry with changes.
    ///
    /// All that is about files is of version 2: ``WorkerMessage/filesHeld(_:_:isFirst:)`` with the six messages behind it,
    /// ``CoordinatorMessage/inputFiles(_:_:)`` with the six behind it, ``PassedPiece``, ``MessageBundle``,
    /// ``Request/filePiece(_:path:offset:limit:)``, ``Request/missingFiles(_:bytes:)``, ``Request/sentPiece(_:)``, a submission with
    /// sent files and ``DocumentRequest/files(_:from:limit:)``, and for files that go directly ``WorkerMessage/dataAddress(_:_:)``,
    /// ``WorkerMessage/directBytes(_:_:)``, ``CoordinatorMessage/directSource(echo:_:_:_:)``,
    /// ``CoordinatorMessage/admitReader(_:_:seconds:)`` and ``DirectRequest``. Files of an attempt, and an end without them, are in a
    /// report only if the operation had `outputs`, an end for want of room only if it had these or needed files of another one, and an end
    /// for lost inputs only if it needed such files: a coordinator or a worker of version 1 refuses that option, `copies`, `inputs` and
    /// `workspace`, and the `keepFiles` and `filesLimit` of a job.
    /// Who leads is told from version 2 on: ``WorkerMessage/inquire(_:)``, ``CoordinatorMessage/leadership(_:)``,
    /// ``ClientReply/leadership(_:)`` and the rank of a client's welcome. A coordinator of version 1 does not answer an inquiry.
    /// A history tells of fetches and of files that attempts left only where there are any, which a client of version 1 cannot read.
    public static let newest: UInt16 = 2
}
