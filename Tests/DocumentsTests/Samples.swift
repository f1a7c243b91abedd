@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestRecords
import Foundation
import Testing

/// A moment some seconds after another, fixed one.
func moment(_ seconds: Int64) -> Timestamp {
    SampleDocuments.moment(seconds)
}

/// The text of a document.
func text(_ document: some Document) -> String {
    String(decoding: document.json, as: UTF8.self)
}

/// Checks the text of a document, and that the text reads as the same document again.
func expect<D: Document>(
    _ document: D,
    writes expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(text(document) == expected, sourceLocation: sourceLocation)
    let again = try JSONDecoder().decode(D.self, from: Data(document.json))
    #expect(again == document, sourceLocation: sourceLocation)
}

let counts = SampleDocuments.counts

let countsText =
    #"{"pending":1,"ready":0,"executing":1,"succeeded":2,"failed":0,"cancelled":0,"skipped":0,"notNeeded":0}"#

/// An operation that succeeded.
func succeeded(index: UInt32 = 1) -> OperationDocument {
    SampleDocuments.succeeded(index: index, command: ["convert", "a \"b\""])
}

let succeededText =
    #"{"operation":"12/1","name":"sepia","queue":"images","state":"finished","outcome":"succeeded","cancelled":false,"#
    + #""reason":null,"exitStatus":0,"signal":null,"priority":4,"qos":null,"attempt":1,"worker":"w1","#
    + #""dependencies":[{"operation":"12/0","condition":"success"}],"progress":1.0,"#
    + #""submittedAt":"2026-11-21T03:00:00.000678Z","readyAt":"2026-11-21T03:00:01.000678Z","#
    + #""startedAt":"2026-11-21T03:00:02.000678Z","finishedAt":"2026-11-21T03:00:03.000678Z","message":null,"#
    + #""skippedBecauseOf":null,"item":null,"losses":0,"hasResult":true,"command":["convert","a \"b\""],"commands":null,"#
    + #""type":null,"argument":null,"progressMessage":null,"held":false,"barrier":false,"onFinish":null,"hook":null,"restart":"onLoss","index":null,"#
    + #""settings":{"priority":4,"qos":null,"nice":0,"barrier":false,"hold":false,"maxConcurrent":null,"retries":0,"retryDelay":"1s","retryDelayLimit":null,"retryOn":[],"noRetryOn":[],"finalStatus":[],"restart":"onLoss","timeout":null,"timeoutUpTo":null,"expected":null,"grace":"5s","stopSignal":"TERM","delay":null,"deadline":null,"onFinish":null,"keepResult":"onSuccess","inputNames":"number","outputs":[],"copies":1,"inputs":{},"workspace":"shared","cpus":0.0,"memory":null,"memoryUpTo":null,"resources":{},"take":{},"labels":[],"env":[],"cwd":null,"umask":null,"stdin":false,"stdout":null,"stderr":null,"input":false,"columns":[]},"attempts":[],"cpuSeconds":null,"peakMemory":null}"#
