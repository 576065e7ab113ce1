// verdict: CE
// trick: Brackets that are opened so often that who looks for the end of each does not end.
@REPEAT:131000:[@
