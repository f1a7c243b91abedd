@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

extension Output {
    /// Prints what was submitted.
    ///
    /// If that cannot be printed, standard error gets the job's number: whoever does not know it would submit twice.
    ///
    /// - Parameter text: the form for people.
    static func submitted(_ document: SubmitDocument, as text: String, asJSON isJSON: Bool) throws {
        do {
            if isJSON { try Output.document(document) } else { try line(text) }
        } catch {
            note("The submission was accepted: \(document.first == nil ? "it is job" : "its operations are") \(text).")
            throw error
        }
    }
}
